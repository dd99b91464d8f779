/* bench/plot.h -- plots as inline SVG, on logarithmic axes, and text that may stand in HTML.
**
** A series is told by the form of its mark as well as by its colour.  Lengths are those of a phone held upright; what stands around it lets a
** drawing grow. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLOT_LOOKS = 6 }; /* of marks and colours: classes c0 to c5 of the page */

typedef struct plot_point { double x, y; } plot_point; /* both above 0 */

typedef struct plot_series {
  const char *name;
  int look;             /* below PLOT_LOOKS */
  const plot_point *at; /* in order of x */
  size_t n;
} plot_series;

/* Series as lines over x. */
typedef struct plot {
  const char *title;    /* for those who do not see it */
  const char *x, *y;    /* what the axes say */
  const plot_series *series;
  size_t n;
} plot;
void plot_lines(FILE *to, const plot *p);

/* Categories below each other, in each a mark for each series: the point's x is the value, its y the number of the category. */
void plot_marks(FILE *to, const plot *p, const char *const *categories, size_t n_categories);

/* Bytes of the character at `text` if it is well-formed UTF-8, else 0. */
size_t plot_character(const unsigned char *text);
/* Text with what HTML would take for its own replaced, and what XML does not allow. */
void plot_text(FILE *to, const char *text);

#endif
