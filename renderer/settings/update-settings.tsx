import { updateText } from '../../app/status/update-status.ts'
import type { WindowApi } from '../api/window-api.ts'
import { Refusal, Tick } from '../components/form.tsx'
import { useAnswer } from '../hooks/use-answer.ts'
import { useMirror, useParts } from '../state/window-parts.ts'

const updates = (main: WindowApi) => main.updates()

/** The update settings of the desktop app. Empty in a browser, where npm updates Headroom. */
export function UpdateSettings() {
  const { api } = useParts()
  const isDesktop = useMirror(({ hello }) => hello?.host === 'desktop')
  const { answer: state, failure: refusal, take } = useAnswer(isDesktop ? updates : undefined)
  if (state === undefined) return null

  const choose = (wanted: boolean) => take(api.setCheckForUpdates({ wanted }))
  return (
    <>
      <h3>Updates</h3>
      <div className="rows">
        <Tick
          id="updates"
          label="Check for updates"
          checked={state.kind !== 'off' && state.kind !== 'no-feed'}
          disabled={state.kind === 'no-feed'}
          aria-describedby="updates-about"
          onTick={choose}
        />
        <p id="updates-about" className="beneath hint" data-testid="updates">
          {updateText(state)}
        </p>
      </div>
      <Refusal words={refusal} />
    </>
  )
}
