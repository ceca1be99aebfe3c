import { useMemo, useState } from 'react'
import { reopenSentence } from '../../app/conditions/messages/streams.ts'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { rateText } from '../../app/status/rates.ts'
import { openStreams } from '../../app/status/stream-status.ts'
import { classesOf } from '../components/classes.ts'
import { Shape } from '../components/shape.tsx'
import { ScrollBox } from '../components/table.tsx'
import { Unlisted } from '../components/unlisted.tsx'
import { useCommand } from '../hooks/use-asked.ts'
import { useParts, useShown, useSnapshot } from '../state/window-parts.ts'
import { type StreamGroup, type StreamsOfKind, streamGroups } from './stream-groups.ts'
import { StreamRow, UNDO_SECONDS } from './stream-row.tsx'
import sheet from './streams.module.css'

const css = classesOf(sheet)

const NONE: readonly StreamSummary[] = []

export function OwnStreams() {
  const streams = useSnapshot((snapshot) => snapshot.streams) ?? NONE
  const groups = useMemo(() => streamGroups(streams), [streams])
  const open = openStreams(streams).length
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const reopening = useShown(reopenSentence) ?? ''
  return (
    <section className={css('part')} aria-labelledby="streams-title">
      <div className={css('head', 'joined')}>
        <h2 id="streams-title">Own streams</h2>
        {open > 0 && <span>{open} open</span>}
        <Unlisted of="streams" />
        <CloseAll key={profile} streams={streams} />
      </div>
      <ScrollBox label="Own streams, list">
        {reopening && <p className={css('until')}>{reopening}</p>}
        {streams.length === 0 ? (
          <p className={css('empty')}>No streams open.</p>
        ) : (
          groups.map((group) => <Group key={group.id} group={group} reopening={reopening} />)
        )}
      </ScrollBox>
    </section>
  )
}

interface Reopening {
  /** Why an open stream can't reopen. Empty while calls work. */
  readonly reopening: string
}

function Group({ group, reopening }: Reopening & { readonly group: StreamGroup }) {
  return (
    <div data-stream-group={group.id}>
      <div className={css('group')}>
        <h3 id={`streams-${group.id}`}>{group.name}</h3>
        {group.id === 'closed' ? (
          <RemoveAll streams={group.kinds.flatMap(({ streams }) => streams)} />
        ) : (
          <span data-testid="group-states">{group.states}</span>
        )}
      </div>
      {group.kinds.map((kind) => (
        <Kind key={kind.name} kind={kind} group={group.name} reopening={reopening} />
      ))}
    </div>
  )
}

interface KindProps extends Reopening {
  readonly kind: StreamsOfKind
  readonly group: string
}

/** The streams of one kind. Many streams form one expandable line. */
function Kind({ kind, group, reopening }: KindProps) {
  const { name, streams, folds, severity, framesPerSecond, states } = kind
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {folds && (
        <button
          type="button"
          className={css('fold')}
          data-severity={severity}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Shape severity={severity} />
          <span className="cut">
            {isOpen ? '▾' : '▸'} {name} <b>{streams.length}</b>
          </span>
          <span>{rateText(framesPerSecond)}</span>
          <span className="word">{states}</span>
        </button>
      )}
      {(!folds || isOpen) && (
        <ul className={css('list')} aria-label={`${group}: ${name}`}>
          {streams.map((stream) => (
            <StreamRow key={stream.id} stream={stream} reopening={reopening} />
          ))}
        </ul>
      )}
    </>
  )
}

/** Closes all open streams after confirmation. Closing can be undone as for a single stream. */
function CloseAll({ streams }: { readonly streams: readonly StreamSummary[] }) {
  const { api } = useParts()
  const run = useCommand()
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const [isAsked, setAsked] = useState(false)
  const open = streams.filter(({ state, closingAt }) => state !== 'closed' && closingAt === undefined)
  if (profile === undefined || open.length < 2) return null
  const close = () => {
    setAsked(false)
    for (const { id } of open) run(() => api.closeStream({ profile, stream: id, inSeconds: UNDO_SECONDS }))
  }
  return (
    <span className={css('close-all')}>
      {isAsked ? (
        <>
          <button type="button" className={css('link')} onClick={close}>
            Close {open.length} streams
          </button>
          {/* biome-ignore lint/a11y/noAutofocus: the pressed button is gone; Keep closes nothing */}
          <button type="button" className={css('link')} autoFocus onClick={() => setAsked(false)}>
            Keep
          </button>
        </>
      ) : (
        <button type="button" className={css('link')} onClick={() => setAsked(true)}>
          Close all…
        </button>
      )}
    </span>
  )
}

function RemoveAll({ streams }: { readonly streams: readonly StreamSummary[] }) {
  const { api } = useParts()
  const run = useCommand()
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  if (profile === undefined || streams.length < 2) return null
  return (
    <button
      type="button"
      className={css('link')}
      onClick={() => {
        for (const { id } of streams) run(() => api.closeStream({ profile, stream: id }))
      }}
    >
      Remove all
    </button>
  )
}
