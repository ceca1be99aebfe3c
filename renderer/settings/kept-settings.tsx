import type { WindowApi } from '../api/window-api.ts'
import { Refusal } from '../components/form.tsx'
import { useAnswer } from '../hooks/use-answer.ts'
import { useAsked } from '../hooks/use-asked.ts'
import { useParts } from '../state/window-parts.ts'
import { RAW_CHOICES, ROLLUP_CHOICES, spanText, storageText, withChosen } from './settings-text.ts'

const storageOf = (main: WindowApi) => main.storage()

export function KeptSettings() {
  const { api } = useParts()
  const asked = useAsked()
  // Without a response, nothing is shown. The banner reports a lost host.
  const { answer: storage, again } = useAnswer(storageOf)
  if (storage === undefined) return null

  const keep = async (rawMs: number, rollupMs: number) => {
    await asked.run(() => api.setRetention({ rawMs, rollupMs }))
    again()
  }
  return (
    <>
      <h3>History</h3>
      <p className="hint" data-testid="storage">
        {storageText(storage)}
      </p>
      {storage.kind === 'ok' && (
        <div className="rows">
          <SpanField
            label="Keep every sample for"
            choices={RAW_CHOICES}
            ms={storage.rawMs}
            onChange={(rawMs) => void keep(rawMs, storage.rollupMs)}
          />
          <SpanField
            label="Keep one-minute summaries and events for"
            choices={ROLLUP_CHOICES}
            ms={storage.rollupMs}
            onChange={(rollupMs) => void keep(storage.rawMs, rollupMs)}
          />
        </div>
      )}
      <Refusal words={asked.refusal} />
    </>
  )
}

interface SpanFieldProps {
  readonly label: string
  readonly choices: readonly number[]
  readonly ms: number
  readonly onChange: (ms: number) => void
}

function SpanField({ label, choices, ms, onChange }: SpanFieldProps) {
  return (
    <label className="line">
      <span>{label}</span>
      <select value={ms} onChange={({ target }) => onChange(Number(target.value))}>
        {withChosen(choices, ms).map((one) => (
          <option key={one} value={one}>
            {spanText(one)}
          </option>
        ))}
      </select>
    </label>
  )
}
