import { useParts } from '../state/window-parts.ts'

const SAID_FOR_MS = 4000

/** Copies text and shows `done`. Without a clipboard, shows `otherwise`, which a person can copy by hand. */
export function useCopy(): (text: string, done: string, otherwise: string) => void {
  const { view, clock } = useParts()
  return (text, done, otherwise) => {
    const copied = () => {
      view.setState({ notice: done })
      clock.after(SAID_FOR_MS, () => {
        if (view.getState().notice === done) view.setState({ notice: undefined })
      })
    }
    const failed = () => view.setState({ notice: otherwise })
    // The clipboard needs a secure origin and a permission.
    if (navigator.clipboard === undefined) failed()
    else navigator.clipboard.writeText(text).then(copied, failed)
  }
}
