import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** In bytes, of what is really held. */
export const heapUsed = () => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed
}
