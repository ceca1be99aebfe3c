import { memo, useEffect, useRef } from 'react'
import type { StreamSummary } from '../../app/contract/snapshot.ts'
import { untilText } from '../../app/status/durations.ts'
import { countText, rateText } from '../../app/status/rates.ts'
import { openStreams, readByText, streamName, streamStatus } from '../../app/status/stream-status.ts'
import { classesOf } from '../components/classes.ts'
import { IconButton } from '../components/controls.tsx'
import { Shape } from '../components/shape.tsx'
import { sinceOpened, streamReason, unservedText } from '../format/stream-text.ts'
import { useCommand } from '../hooks/use-asked.ts'
import { isLost } from '../hooks/use-focus-return.ts'
import { useParts, useShown, useSnapshot } from '../state/window-parts.ts'
import sheet from './streams.module.css'

const css = classesOf(sheet)

interface StreamRowProps {
  readonly stream: StreamSummary
  /** Why an open stream can't reopen. Empty while calls work. */
  readonly reopening: string
}

export const StreamRow = memo(function StreamRow({ stream, reopening }: StreamRowProps) {
  const name = streamName(stream)
  const { severity, label } = streamStatus(stream)
  const reason = useShown((_, nowMs) => streamReason(stream, nowMs))
  const since = useShown((_, nowMs) => sinceOpened(stream, nowMs))
  const unserved = unservedText(stream)
  const readBy = readByText(stream, 'stream')
  const { closingAt } = stream
  const closing = useShown((_, nowMs) =>
    closingAt === undefined ? '' : `closes in ${untilText(closingAt, nowMs)}`,
  )
  const restarts = `restarted ${countText(stream.restarts, 'time')}`
  return (
    <li
      className={css('stream', closing && 'closing')}
      data-severity={severity}
      data-stream={stream.id}
      data-state={stream.state}
      data-closing={closingAt !== undefined}
    >
      <span className={css('name')} title={`${name} · open for ${since} · ${restarts}`}>
        <Shape severity={severity} label={label} />
        <span className="cut">{name}</span>
        {stream.restarts > 0 && (
          <small className={css('badge')} title={restarts}>
            ↻{stream.restarts}
            <span className="spoken"> {restarts}</span>
          </small>
        )}
      </span>
      <span className={css('muted', 'since')} title="open for">
        {since}
      </span>
      <span className={css('frames')} title="frames per second">
        {rateText(stream.framesPerSecond)}
      </span>
      <span className={css(closing ? 'muted' : 'word')} data-testid="state">
        {closing || label}
      </span>
      <StreamActions stream={stream} name={name} reopening={reopening} />
      {reason && <span className={css('reason')}>{reason}</span>}
      {readBy && (
        <span className={css('reason')} data-testid="read-by">
          {readBy}
        </span>
      )}
      {unserved && (
        <span className={css('reason', 'unserved')} data-testid="unserved">
          {unserved}
        </span>
      )}
    </li>
  )
})

/** How long a close can be undone, in seconds. During this time, the stream is open and uses its slot. */
export const UNDO_SECONDS = 5

function StreamActions({ stream, name, reopening }: StreamRowProps & { readonly name: string }) {
  const { api } = useParts()
  const run = useCommand()
  const profile = useSnapshot((snapshot) => snapshot.profile.id)
  const pinned = stream.pinned ?? false
  const isClosed = stream.state === 'closed'
  const isClosing = stream.closingAt !== undefined
  const noRestart = openStreams([stream]).length > 0 ? reopening : ''
  const first = useRef<HTMLButtonElement>(null)
  const isPressed = useRef(false)
  const wasClosing = useRef(isClosing)
  // The pressed button disappears, so the focus moves. After a close, it moves to the button Undo. After an
  // undo, it moves to the button Pin, which does not end the stream.
  useEffect(() => {
    if (wasClosing.current === isClosing) return
    wasClosing.current = isClosing
    if (isPressed.current && isLost()) first.current?.focus()
    isPressed.current &&= isClosing
  }, [isClosing])
  if (profile === undefined) return <span />
  const target = { profile, stream: stream.id }
  if (isClosing) {
    return (
      <button
        ref={first}
        type="button"
        className={css('undo')}
        aria-label={`Undo closing ${name}`}
        onClick={() => run(() => api.keepStream(target))}
      >
        Undo
      </button>
    )
  }
  return (
    <span className={css('actions')}>
      <IconButton
        ref={first}
        icon="pin"
        label={`Pin ${name}`}
        title={pinned ? 'Pinned: reopens at the next start' : 'Pin: reopen at the next start'}
        pressed={pinned}
        onClick={() => run(() => api.pinStream({ ...target, pinned: !pinned }))}
      />
      <IconButton
        icon="restart"
        label={`${isClosed ? 'Open again' : 'Restart'} ${name}`}
        title={noRestart || (isClosed ? 'Open again' : 'Restart')}
        disabled={noRestart !== ''}
        onClick={() => run(() => api.restartStream(target))}
      />
      <IconButton
        icon="close"
        label={`${isClosed ? 'Remove' : 'Close'} ${name}`}
        title={isClosed ? 'Remove from the list' : `Close (${UNDO_SECONDS} s to undo)`}
        onClick={() => {
          isPressed.current = true
          run(() => api.closeStream(isClosed ? target : { ...target, inSeconds: UNDO_SECONDS }))
        }}
      />
    </span>
  )
}
