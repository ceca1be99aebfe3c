import { Fragment } from 'react'
import { classesOf } from '../components/classes.ts'
import { DialogFrame } from '../components/dialog-frame.tsx'
import { useLook, useParts } from '../state/window-parts.ts'
import sheet from './shell.module.css'
import { SHORTCUTS } from './shortcuts.ts'

const css = classesOf(sheet)

const KEY_NAMES: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑' }

export function ShortcutsDialog() {
  const { look } = useParts()
  const on = useLook(({ shortcuts }) => shortcuts)
  return (
    <DialogFrame title="Keyboard" about="Everything is also reached with Tab, Enter and Esc.">
      <dl className={css('keys')}>
        {SHORTCUTS.map(({ keys, does }) => (
          <Fragment key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{KEY_NAMES[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
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
