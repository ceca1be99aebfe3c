/**
 * Splits the chunks of a response into lines.
 *
 * A chunk may end anywhere, even within a UTF-8 character. Blank lines, which only keep the connection alive,
 * are omitted; an incomplete last line waits for the next chunk.
 */
export function lineSplitter(): (chunk: Uint8Array) => readonly string[] {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    return lines.filter((line) => line.trim() !== '')
  }
}

/** Parses one line of the push stream; `undefined` for a line that is not a push. */
export function parsePush(line: string): { readonly channel: string; readonly value: unknown } | undefined {
  let said: unknown
  try {
    said = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof said !== 'object' || said === null || !('channel' in said) || !('value' in said))
    return undefined
  return typeof said.channel === 'string' ? { channel: said.channel, value: said.value } : undefined
}
