/** `nobody`, by its number on Linux: another user of this machine, who owns nothing here. */
export const OTHER_USER = 65_534

/** Only root can start a process of another user. */
export const isRoot = process.getuid?.() === 0

/** Permanently changes the user of this process, which root started, to the other user. */
export function becomeOtherUser(): void {
  process.setgroups?.([])
  process.setgid?.(OTHER_USER)
  process.setuid?.(OTHER_USER)
}

/**
 * Arguments of a Node that root starts and that runs its `--eval` script as the other user.
 *
 * The option `uid` of `spawn` would not do: below a closed folder the other user cannot execute this
 * checkout's Node.
 */
export const AS_OTHER_USER: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(
    `process.setgroups([]); process.setgid(${OTHER_USER}); process.setuid(${OTHER_USER})`,
  )}`,
]
