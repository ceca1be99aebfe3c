import { z } from 'zod'

const trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      dur: z.number().optional(),
      args: z.object({ name: z.string().optional() }).optional(),
    }),
  ),
})

/** How long each task of the page's main thread took, shortest first. The page's is the busiest of such threads. */
export function mainThreadTasksMs(recorded: Buffer): readonly number[] {
  const { traceEvents } = trace.parse(JSON.parse(recorded.toString()))
  const threads = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const tasks = threads.map(({ pid, tid }) =>
    traceEvents.flatMap((event) =>
      event.name === 'RunTask' && event.pid === pid && event.tid === tid ? [(event.dur ?? 0) / 1000] : [],
    ),
  )
  return tasks.reduce((most, one) => (one.length > most.length ? one : most), []).toSorted((a, b) => a - b)
}
