import { liveSeed } from './seed-life.ts'

/** One core's share of a run. It runs the seeds that it is sent, one after the other. */
process.on('message', ({ seed, hours }: { readonly seed: number; readonly hours: number }) => {
  void liveSeed(seed, hours).then((life) => process.send?.(life))
})
