import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { useSnapshot } from '../state/window-parts.ts'
import { StreamRow } from './stream-row.tsx'
import sheet from './streams.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

const NONE: readonly StreamSummary[] = []

export function OwnStreams() {
  const streams = useSnapshot((snapshot) => snapshot.streams) ?? NONE
  return (
    <section className={css('part')} aria-labelledby="streams-title">
      <div className={css('head', 'joined')}>
        <h2 id="streams-title">Own streams</h2>
      </div>
      <div className={css('scroll')}>
        {streams.length === 0 ? (
          <p className={css('empty')}>None open. A stream shows its slots and quota while it is.</p>
        ) : (
          <ul className={css('list')} aria-label="Own streams">
            {streams.map((stream) => (
              <StreamRow key={stream.id} stream={stream} />
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}
