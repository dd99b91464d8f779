/* runtime/engine.h -- what programs and monitors share: the door to memory.  Usable from any thread. */
#ifndef WRT_ENGINE_H
#define WRT_ENGINE_H

#include "runtime/native.h"

struct weir_engine {
  wb_door door;
  wrt_native_port native;
};

#endif
