import type { Commands } from '../../../../main/hosts/terminal/program.ts'

type Run = (flags: unknown) => Promise<number>

/** All commands of `headroom`. Each runs what `of` returns for its name, with its arguments as one object. */
export function commandsOf(of: (name: string) => Run): Commands {
  return {
    start: of('start'),
    watch: of('watch'),
    status: of('status'),
    export: of('export'),
    plan: (file, flags) => of('plan')({ file, ...flags }),
    simulate: of('simulate'),
    revoke: of('revoke'),
    gateway: (turn, flags) => of('gateway')({ turn, ...flags }),
    program: (action, name, flags) => of('program')({ action, name, ...flags }),
    orders: (action, id, flags) => of('orders')({ action, id, ...flags }),
    desk: (action, flags) => of('desk')({ action, ...flags }),
  }
}
