import { useMemo, useState } from 'react'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { rateText } from '../../app/status/rates.ts'
import { classesOf } from '../components/classes.ts'
import controlsSheet from '../components/controls.module.css'
import { Shape } from '../components/shape.tsx'
import { useCommand } from '../hooks/use-command.ts'
import { useParts, useSnapshot } from '../state/window-parts.ts'
import { type StreamGroup, type StreamsOfKind, streamGroups } from './stream-groups.ts'
import { StreamRow } from './stream-row.tsx'
import sheet from './streams.module.css'

const css = classesOf({ ...controlsSheet, ...sheet })

const NONE: readonly StreamSummary[] = []

export function OwnStreams() {
  const streams = useSnapshot((snapshot) => snapshot.streams) ?? NONE
  const groups = useMemo(() => streamGroups(streams), [streams])
  const open = streams.filter(({ state }) => state !== 'closed').length
  return (
    <section className={css('part')} aria-labelledby="streams-title">
      <div className={css('head', 'joined')}>
        <h2 id="streams-title">Own streams</h2>
        {open > 0 && <span>{open} open</span>}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard through its own focus */}
      <section className={css('scroll')} aria-label="Own streams, list" tabIndex={0}>
        {streams.length === 0 ? (
          <p className={css('empty')}>No streams open.</p>
        ) : (
          groups.map((group) => <Group key={group.id} group={group} />)
        )}
      </section>
    </section>
  )
}

function Group({ group }: { readonly group: StreamGroup }) {
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
        <Kind key={kind.name} kind={kind} group={group.name} />
      ))}
    </div>
  )
}

/** The streams of one kind; many are one line that opens. */
function Kind({ kind, group }: { readonly kind: StreamsOfKind; readonly group: string }) {
  const { name, streams, folds, severity, framesPerSecond, states } = kind
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {folds && (
        <button
          type="button"
          className={css('fold', severity)}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Shape severity={severity} />
          <span className={css('fold-name')}>
            {isOpen ? '▾' : '▸'} {name} <b>{streams.length}</b>
          </span>
          <span>{rateText(framesPerSecond)}</span>
          <span className={css('word')}>{states}</span>
        </button>
      )}
      {(!folds || isOpen) && (
        <ul className={css('list')} aria-label={`${group}: ${name}`}>
          {streams.map((stream) => (
            <StreamRow key={stream.id} stream={stream} />
          ))}
        </ul>
      )}
    </>
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
