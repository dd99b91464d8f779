/* tests/thread/planted_race.c -- one monitor on two threads at once, which weir.h forbids: ThreadSanitizer must see it.
**
** If it does not, then it does not see into the library, and that monitors.c is silent means nothing.  ./dev test wants status 66.
** The rows hold only numbers, so that the race corrupts nothing but numbers. */
#include "tests/support/host.h"

#include <pthread.h>
#include <stdlib.h>

static host shared;

static void *push_rows(void *unused) {
  (void)unused;
  weir_value one = an_int(1);
  for (int i = 0; i < 1000; i++)
    if (weir_monitor_push(shared.monitor, &one, 1, NULL) != WEIR_OK) abort();
  return NULL;
}

int main(void) {
  pthread_t a, b;
  host_open(&shared, "in x: Int  out n: Int  n = (default(n[1], 0) + x) % 1000");
  if (pthread_create(&a, NULL, push_rows, NULL) != 0 || pthread_create(&b, NULL, push_rows, NULL) != 0) return 1;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  host_close(&shared);
  return 0;
}
