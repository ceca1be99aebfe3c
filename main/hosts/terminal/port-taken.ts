/** Describes in one line why the port of a flag could not be opened; `undefined` for any other error. */
export function portTaken(error: unknown, port: number, flag = '--port'): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return `port ${port} is taken: choose another with ${flag}, or 0 for any free port`
  if (code === 'EACCES')
    return `port ${port} isn't allowed: choose another with ${flag}, or 0 for any free port`
  return undefined
}
