import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects all garbage, so that memory can be measured. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // The memory of buffers is released a moment later.
  for (let rounds = 0; rounds < 3; rounds += 1) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The heap in MB after a garbage collection. */
export async function heapMb(): Promise<number> {
  await collectGarbage()
  return process.memoryUsage().heapUsed / 1e6
}
