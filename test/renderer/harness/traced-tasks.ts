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
 * Durations of the tasks of the page's main thread in milliseconds, shortest first. `clock`: elapsed time.
 * `core`: processor time, which is the elapsed time on a quiet machine. Of several such threads, the one with
 * the most tasks is the page's.
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
