import { useEffect, useState } from 'react'
import type { StorageSummary } from '../../app/contract/memory-contract.ts'
import { classesOf } from '../theme/classes.ts'
import dialogSheet from '../theme/dialog.module.css'
import { useParts } from '../view/window-parts.ts'
import { storageWords } from './storage-words.ts'

const css = classesOf(dialogSheet)

/** What the history is doing, in one sentence. */
export function KeptWords() {
  const { api } = useParts()
  const [storage, setStorage] = useState<StorageSummary>()
  useEffect(() => {
    let stopped = false
    // Without an answer there is nothing to say of it; the banner says that the host is away.
    api.storage().then(
      (answer) => !stopped && setStorage(answer),
      () => {},
    )
    return () => {
      stopped = true
    }
  }, [api])
  if (storage === undefined) return null
  return (
    <>
      <h3>History</h3>
      <p className={css('hint')} data-testid="storage">
        {storageWords(storage)}
      </p>
    </>
  )
}
