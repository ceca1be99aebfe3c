import { streamCategoryName } from '../service/stream-kinds.ts'

/** The name of a stream for people: `Depth · MSFT`. */
export const streamName = (category: string, target: string): string =>
  `${streamCategoryName(category)} · ${target}`
