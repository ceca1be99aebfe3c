import { memo } from 'react'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { classesOf } from '../theme/classes.ts'
import controlsSheet from '../theme/controls.module.css'
import { Shape } from '../theme/shape.tsx'
import { useCommand } from '../view/use-command.ts'
import { useParts, useShown, useSnapshot } from '../view/window-parts.ts'
import { countWords, rateWords } from '../words/rates.ts'
import { streamName } from '../words/stream-names.ts'
import { sinceOpened, streamReason, streamSeverity } from '../words/stream-words.ts'
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

const StreamRow = memo(function StreamRow({ stream }: { readonly stream: StreamSummary }) {
  const { api } = useParts()
  const run = useCommand()
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const name = streamName(stream.category, stream.target)
  const severity = streamSeverity(stream.state)
  const reason = useShown((_, nowMs) => streamReason(stream, nowMs))
  const since = useShown((_, nowMs) => sinceOpened(stream, nowMs))
  const close = () => {
    if (profile !== undefined) run(() => api.closeStream({ profile, stream: stream.id }))
  }
  return (
    <li className={css('stream', severity)} data-stream={stream.id} data-state={stream.state}>
      <span className={css('name')} title={`${name} · restarted ${countWords(stream.restarts, 'time')}`}>
        <Shape severity={severity} />
        <span>{name}</span>
      </span>
      <span className={css('muted', 'since')} title="open for">
        {since}
      </span>
      <span title="frames a second">{rateWords(stream.framesPerSecond)}</span>
      <span className={css('word')} data-testid="state">
        {stream.state}
      </span>
      {stream.state === 'closed' ? <span /> : <CloseButton name={name} onClick={close} />}
      {reason && <span className={css('reason')}>{reason}</span>}
    </li>
  )
})

interface CloseButtonProps {
  readonly name: string
  readonly onClick: () => void
}

function CloseButton({ name, onClick }: CloseButtonProps) {
  return (
    <button type="button" className={css('close')} aria-label={`Close ${name}`} onClick={onClick}>
      <span aria-hidden="true">✕</span>
    </button>
  )
}
