import { useEffect, useState } from 'react'
import type { UpdateState } from '../../app/contract/updates.ts'
import { updateText } from '../../app/status/update-status.ts'
import { classesOf } from '../components/classes.ts'
import dialogSheet from '../components/dialog.module.css'
import { unanswered } from '../hooks/use-asked.ts'
import { useMirror, useParts } from '../state/window-parts.ts'

const css = classesOf(dialogSheet)

/** The update settings of the desktop app; empty in a browser, where npm updates Headroom. */
export function UpdateSettings() {
  const { api } = useParts()
  const isDesktop = useMirror(({ hello }) => hello?.host === 'desktop')
  const [state, setState] = useState<UpdateState>()
  const [refusal, setRefusal] = useState<string>()
  useEffect(() => {
    if (!isDesktop) return
    let stopped = false
    api.updates().then(
      (answer) => !stopped && setState(answer),
      () => {},
    )
    return () => {
      stopped = true
    }
  }, [api, isDesktop])
  if (state === undefined) return null

  const choose = (wanted: boolean) => {
    setRefusal(undefined)
    api.setCheckForUpdates({ wanted }).then(setState, (error: unknown) => setRefusal(unanswered(error)))
  }
  return (
    <>
      <h3>Updates</h3>
      <div className={css('rows')}>
        <label htmlFor="updates">Look for updates</label>
        <input
          id="updates"
          type="checkbox"
          checked={state.kind !== 'off' && state.kind !== 'no-feed'}
          disabled={state.kind === 'no-feed'}
          aria-describedby="updates-about"
          onChange={({ target }) => choose(target.checked)}
        />
        <p id="updates-about" className={css('beneath', 'hint')} data-testid="updates">
          {updateText(state)}
        </p>
      </div>
      {refusal !== undefined && (
        <p className={css('refusal')} role="alert">
          {refusal}
        </p>
      )}
    </>
  )
}
