import { Fragment } from 'react'
import { mayHaveOrders } from '../../app/contract/orders.ts'
import { classesOf } from '../components/classes.ts'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { useLook, useMirror, useParts } from '../state/window-parts.ts'
import sheet from './shell.module.css'
import { keyName, SHORTCUTS } from './shortcuts.ts'

const css = classesOf(sheet)

export function ShortcutsDialog() {
  const { look } = useParts()
  const hasOrders = useMirror(({ snapshots }) => snapshots.some(mayHaveOrders))
  const on = useLook(({ shortcuts }) => shortcuts)
  return (
    <DialogFrame
      title="Keyboard"
      about="Tab, Enter and Esc work too. Find everything by name with Ctrl+K (⌘K)."
    >
      <dl className={css('keys')}>
        {SHORTCUTS.map(({ keys, does }) => (
          <Fragment key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{keyName(key)}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
        {hasOrders && (
          <>
            <dt>
              <kbd>⇧O</kbd>
            </dt>
            <dd>Stop orders, even in this dialog</dd>
          </>
        )}
      </dl>
      <label className={css('check-line')}>
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => look.setState({ shortcuts: event.target.checked })}
        />
        Single-key shortcuts are on
      </label>
    </DialogFrame>
  )
}
