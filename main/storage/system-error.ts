/**
 * Error codes in plain words. Node's own messages contain a code and a path: `EACCES: permission denied, open
 * '/…'`.
 */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENOENT: 'not found',
  EISDIR: 'a folder is in the way',
  /** Node's error if the file to be removed is a folder. */
  ERR_FS_EISDIR: 'a folder is in the way',
  ENOTDIR: 'a file is in the way',
  EEXIST: 'a file is in the way',
  ENOTEMPTY: 'a folder is in the way',
  ELOOP: 'a link is in the way',
  EIO: 'the disk reported an error',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  EADDRINUSE: 'the port is taken',
  EADDRNOTAVAIL: 'not an address of this computer',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  ETIMEDOUT: 'timed out',
}

/** The code of a failed system call, such as `ENOENT`. `undefined` for any other error. */
export const systemErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** Why a system call failed, as the end of a sentence in plain words. The code is only for the log. */
export function systemErrorText(error: unknown): string {
  const code = systemErrorCode(error)
  if (code === undefined) return error instanceof Error ? error.message : String(error)
  return WORDS[code] ?? 'the system refused it'
}
