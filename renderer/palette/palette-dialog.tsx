import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { classesOf } from '../components/classes.ts'
import { keyName } from '../shell/shortcuts.ts'
import { MAIN } from '../shell/skip-links.tsx'
import { useDoing } from '../shell/use-shortcuts.ts'
import { useMirror, useParts, useSnapshot } from '../state/window-parts.ts'
import sheet from './palette.module.css'
import { matchingCommands, type PaletteCommand, paletteCommands } from './palette-commands.ts'

const css = classesOf(sheet)

/**
 * Time in milliseconds until the window behind the palette can be focused. It must be shorter than the time
 * in `useFocusReturn`.
 */
const CLOSED_MS = 10

export function PaletteDialog() {
  const { view, clock } = useParts()
  const doing = useDoing()
  const [typed, setTyped] = useState('')
  const [index, setIndex] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const snapshots = useMirror((mirror) => mirror.snapshots)
  const found = matchingCommands(paletteCommands({ snapshots }, profile), typed)
  const at = Math.min(index, found.length - 1)
  const close = () => view.setState({ dialog: undefined })
  const run = (command: PaletteCommand | undefined) => {
    if (command === undefined) return
    close()
    clock.after(CLOSED_MS, () => {
      // Without this, the next key press could go to the previously focused control, such as the button
      // Revoke tokens.
      doing.focus(`#${MAIN}`)
      command.run(doing)
    })
  }
  const pressed = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (by === undefined) run(found[at])
    else if (found.length > 0) setIndex((at + by + found.length) % found.length)
  }
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <div className="backdrop" />
        <Dialog.Content className={css('dialog', 'medium', 'palette')} aria-describedby={undefined}>
          <Dialog.Title className="spoken">Search commands</Dialog.Title>
          <input
            type="text"
            role="combobox"
            aria-label="Command"
            aria-expanded={found.length > 0}
            aria-controls="palette-list"
            aria-autocomplete="list"
            {...(at >= 0 && { 'aria-activedescendant': `palette-${at}` })}
            placeholder="What do you want to do?"
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value)
              setIndex(0)
            }}
            onKeyDown={pressed}
          />
          <div className={css('options')} id="palette-list" role="listbox" aria-label="Commands" ref={list}>
            {found.map((command, position) => (
              // The input handles keys, as usual for a combobox.
              // biome-ignore lint/a11y/useKeyWithClickEvents: see above
              // biome-ignore lint/a11y/useFocusableInteractive: see above
              <div
                key={command.label}
                id={`palette-${position}`}
                className={css('option')}
                role="option"
                aria-selected={position === at}
                onClick={() => run(command)}
              >
                <span>{command.label}</span>
                {command.keys.map((key) => (
                  <kbd key={key}>{keyName(key)}</kbd>
                ))}
              </div>
            ))}
          </div>
          {found.length === 0 && <p role="status">Nothing matches.</p>}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
