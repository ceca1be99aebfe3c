import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects what is kept by nothing any more, so that memory can be measured. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // Of buffers the memory is given back a moment later.
  for (let rounds = 0; rounds < 3; rounds += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
}
