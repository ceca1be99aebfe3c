import { shownRows } from '../../app/quota/verdict.ts'
import { chooseCategory } from '../capacity/chosen-category.ts'
import { type Doing, SHORTCUTS } from '../shell/shortcuts.ts'
import type { MirrorState } from '../state/mirror-state.ts'
import type { Dialog } from '../state/view-state.ts'

export interface PaletteCommand {
  readonly label: string
  readonly keys: readonly string[]
  readonly run: (doing: Doing) => void
}

/** Dialogs about the desk of the displayed key: `joined` if the key has a desk, `none` if it has no desk. */
const DESK_DIALOGS: Readonly<Record<'joined' | 'none', readonly (readonly [Dialog, string])[]>> = {
  joined: [
    ['invite-to-desk', 'Invite a machine to the desk…'],
    ['leave-desk', 'Leave the desk…'],
    ['replace-desk-secret', 'Replace the desk’s secret…'],
  ],
  none: [
    ['create-desk', 'Create a desk…'],
    ['join-desk', 'Join a desk…'],
  ],
}

const DIALOGS: readonly (readonly [Dialog, string])[] = [
  ['findings', 'Health of the key'],
  ['connect', 'Connect a key…'],
  ['sign-in', 'Sign in again…'],
  ['disconnect', 'Disconnect this key…'],
  ['revoke', 'Revoke tokens…'],
]

/**
 * All actions of the window: use a shortcut, open a dialog, show another key, choose a row. `profile` is the
 * displayed key.
 */
export function paletteCommands({ snapshots }: Pick<MirrorState, 'snapshots'>, profile: string | undefined) {
  const shown = snapshots.find((one) => one.profile.id === profile)
  const needsKey: ReadonlySet<Dialog> = new Set(['findings', 'sign-in', 'disconnect', 'revoke'])
  return [
    {
      label: 'Programs behind the gateway',
      keys: [],
      run: ({ view }: Doing) => view.setState({ page: 'programs' }),
    },
    ...SHORTCUTS.map(({ keys, does, run }) => ({ label: does, keys, run })),
    ...[
      ...DIALOGS.filter(([dialog]) => shown !== undefined || !needsKey.has(dialog)),
      ...(shown === undefined ? [] : DESK_DIALOGS[shown.desk === undefined ? 'none' : 'joined']),
    ].map(([dialog, label]) => ({
      label,
      keys: [],
      run: ({ view }: Doing) => view.setState({ dialog }),
    })),
    ...snapshots
      .filter((one) => one !== shown)
      .map(({ profile: { id, name } }) => ({
        label: `Show the key ${name}`,
        keys: [],
        run: ({ view }: Doing) => view.setState({ profile: id, category: undefined }),
      })),
    ...shownRows(shown?.requests ?? []).map(({ category }) => ({
      label: `Show ${category}`,
      keys: [],
      run: ({ view, look }: Doing) => {
        chooseCategory({ view, look }, category)
        view.setState({ panel: 'chart', page: 'dashboard' })
      },
    })),
  ]
}

/**
 * Commands whose labels contain all typed words. Labels that begin with the first word come first. The other
 * commands keep their order.
 */
export function matchingCommands(commands: readonly PaletteCommand[], typed: string) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const found = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
  const begins = ({ label }: PaletteCommand) => label.toLowerCase().startsWith(words[0] ?? '')
  return [...found.filter(begins), ...found.filter((one) => !begins(one))]
}
