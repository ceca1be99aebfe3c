import type { WindowSummary } from '../../app/contract/windows.ts'
import { clockText } from '../../app/status/moments.ts'
import type { WindowApi } from '../api/window-api.ts'
import { Button } from '../components/controls.tsx'
import { Refusal } from '../components/form.tsx'
import { useAnswer } from '../hooks/use-answer.ts'
import { useAsked } from '../hooks/use-asked.ts'
import { useParts } from '../state/window-parts.ts'

const windowsOf = (main: WindowApi) => main.windows()

export function BrowserWindowList() {
  const { api } = useParts()
  const asked = useAsked()
  const { answer: windows = [], again } = useAnswer(windowsOf)
  if (windows.length === 0) return null

  const end = async (window: string) => {
    await asked.run(() => api.endWindow({ window }))
    again()
  }
  return (
    <>
      <h3>Browser windows</h3>
      <ul className="hint" data-testid="browser-windows">
        {windows.map((one) => (
          <li key={one.id}>
            {wordsOf(one)}{' '}
            {!one.isThis && (
              <Button look="small" disabled={asked.waiting} onClick={() => void end(one.id)}>
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Refusal words={asked.refusal} />
    </>
  )
}

function wordsOf({ isThis, isOpen, admittedAt, lastUsedAt }: WindowSummary): string {
  const connected = `connected ${clockText(admittedAt)}`
  if (isThis) return `This window, ${connected}.`
  return `${isOpen ? 'Another window' : 'A closed window'}, ${connected}, last used ${clockText(lastUsedAt)}.`
}
