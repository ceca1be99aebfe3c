import { sharedText } from '../../app/status/desk-status.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import deskSheet from '../desk/desk.module.css'
import { MachineList } from '../desk/machine-list.tsx'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import sheet from './programs.module.css'

const css = classesOf({ ...controlsSheet, ...deskSheet, ...sheet })

/** The machines that share the key, and the desk's server. Empty without a desk. */
export function DeskPanel() {
  const { view } = useParts()
  const machines = useSnapshot(({ desk }) => desk && sharedText(desk))
  const isRefused = useSnapshot(({ desk }) => desk?.state === 'refused') ?? false
  if (machines === undefined) return null
  return (
    <section className={css('panel', 'desk')} aria-labelledby="desk-heading">
      <div className={css('head')}>
        <h2 id="desk-heading">Desk</h2>
        <span data-testid="desk-machines">{machines}</span>
        <div className={css('buttons', 'head-buttons')}>
          {!isRefused && (
            <button
              type="button"
              className={css('button', 'small')}
              onClick={() => view.setState({ dialog: 'invite-to-desk' })}
            >
              + Invite…
            </button>
          )}
          <button
            type="button"
            className={css('button', 'ghost', 'small')}
            onClick={() => view.setState({ dialog: 'leave-desk' })}
          >
            Leave…
          </button>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard scrolling needs focus */}
      <section className={css('scroll')} aria-label="Desk, machines" tabIndex={0}>
        <MachineList />
      </section>
    </section>
  )
}
