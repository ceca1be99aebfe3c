import { z } from 'zod'

const trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      dur: z.number().optional(),
      tdur: z.number().optional(),
      args: z.object({ name: z.string().optional() }).optional(),
    }),
  ),
})

/**
 * Length of each task of the page's main thread, shortest first: by the clock, or what it took of a core,
 * which is its length on a quiet one. The page's thread is the busiest of its kind.
 */
export function mainThreadTasksMs(recorded: Buffer, of: 'clock' | 'core' = 'clock'): readonly number[] {
  const { traceEvents } = trace.parse(JSON.parse(recorded.toString()))
  const threads = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const tasks = threads.map(({ pid, tid }) =>
    traceEvents.flatMap((event) =>
      event.name === 'RunTask' && event.pid === pid && event.tid === tid
        ? [((of === 'core' ? event.tdur : event.dur) ?? 0) / 1000]
        : [],
    ),
  )
  return tasks.reduce((most, one) => (one.length > most.length ? one : most), []).toSorted((a, b) => a - b)
}
