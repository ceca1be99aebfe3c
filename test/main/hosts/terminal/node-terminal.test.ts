import { EventEmitter } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { boundedLines, MAX_WAITING_LINES } from '../../../../main/hosts/terminal/bounded-lines.ts'
import {
  endAfterOutput,
  nodeTerminal,
  type TerminalProcess,
} from '../../../../main/hosts/terminal/node-terminal.ts'
import type { OutputEnd } from '../../../../main/hosts/terminal/terminal.ts'
import { PATIENT } from '../../../patient.ts'
import { proves } from '../../../proof/proves.ts'

/** A process with these parts, and streams for the others. */
function processWith(parts: object): TerminalProcess & Pick<NodeJS.Process, 'exitCode' | 'emit'> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  return Object.assign(new EventEmitter(), streams, { exitCode: 0 }, parts) as unknown as NodeJS.Process
}

const terminalOn = (stdout: Writable) => nodeTerminal(processWith({ stdout }), {})

/** A stdout whose every write fails. */
const failing = (code: string) =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) })

async function endOf(code: string): Promise<{ end: OutputEnd; written: OutputEnd | undefined }> {
  const terminal = terminalOn(failing(code))
  const end = new Promise<OutputEnd>((resolve) => terminal.onOutputEnd(resolve))
  terminal.out('a line')
  const written = terminal.written()
  return { end: await end, written: await written }
}

test('a closed reader is a quiet end, and every other failure is one line', async () => {
  for (const code of ['EPIPE', 'EOF']) {
    expect(await endOf(code)).toEqual({ end: { kind: 'closed' }, written: { kind: 'closed' } })
  }
  for (const [code, line] of [
    ['ENOSPC', 'stdout cannot be written: the disk is full'],
    ['EDQUOT', 'stdout cannot be written: the disk is full'],
    ['EIO', 'stdout cannot be written: the disk reported an error'],
    ['EBADF', 'stdout cannot be written: the system refused it'],
  ] as const) {
    expect(await endOf(code)).toEqual({ end: { kind: 'failed', line }, written: { kind: 'failed', line } })
  }
  proves('U1', { level: 1, cases: 6 })
})

test('a complete write is no failure', async () => {
  const terminal = terminalOn(new PassThrough())
  terminal.out('a line')
  expect(await terminal.written()).toBeUndefined()
})

test('the process waits for a slow reader to get all output, but not after a stop', async () => {
  let written = () => {}
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      written = done
    },
  })
  const own = processWith({ stdout })
  const terminal = nodeTerminal(own, {})
  terminal.out('a line')
  let exits = 0
  const exitSoon = () => {
    exits += 1
  }
  const ended = endAfterOutput(terminal, own, exitSoon)
  await new Promise((resolve) => setImmediate(resolve))
  expect(exits).toBe(0)
  written()
  await new Promise((resolve) => setImmediate(resolve))
  written()
  await ended
  expect([exits, own.exitCode]).toEqual([1, 0])

  terminal.onStop(() => {})
  own.emit('SIGTERM')
  const stopped = endAfterOutput(terminal, own, exitSoon)
  expect(exits).toBe(2)
  written()
  await stopped
  expect(exits).toBe(2)
})

test('an unread stream queues only its own buffer and the newest lines', async () => {
  const stdout = new PassThrough({ highWaterMark: 1_000 })
  const terminal = terminalOn(stdout)
  const dropped: number[] = []
  const lines = boundedLines({ ...terminal, dropped: (count) => dropped.push(count) })
  const line = 'x'.repeat(100)
  for (let n = 0; n < 50_000; n += 1) {
    lines.each(`${line} ${n}`)
    lines.newest(() => `newest ${n}`)
  }
  expect(stdout.readableLength + stdout.writableLength).toBeLessThan(3_000)
  let read = ''
  stdout.setEncoding('utf8').on('data', (text: string) => {
    read += text
  })
  await expect.poll(() => read, PATIENT).toContain('newest 49999\n')
  const numbers = read.match(/x \d+/g)?.map((text) => Number(text.slice(2))) ?? []
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(numbers.slice(-MAX_WAITING_LINES)[0]).toBe(50_000 - MAX_WAITING_LINES)
  expect(dropped).toEqual([50_000 - numbers.length])
  proves('U1', { level: 2, cases: 1 })
})

test('keys are raw while something listens, and Ctrl-C still stops', () => {
  const raw: boolean[] = []
  const killed: unknown[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => raw.push(on),
  })
  const kill = (pid: number, signal: string) => killed.push([pid, signal])
  const terminal = nodeTerminal(processWith({ stdin, pid: 42, kill }), {})
  const keys: string[] = []
  const stop = terminal.onKey?.((key) => keys.push(key))
  stdin.emit('data', Buffer.from('q?'))
  stdin.emit('data', Buffer.from('\u0003'))
  stop?.()
  stdin.emit('data', Buffer.from('x'))
  expect(keys).toEqual(['q', '?'])
  expect(killed).toEqual([[42, 'SIGINT']])
  expect(raw).toEqual([true, false])
})

test.each(['ask', 'askSecret'] as const)('Ctrl-C at a question stops the command (%s)', async (ask) => {
  const steps: unknown[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => steps.push(on),
  })
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  const kill = (pid: number, signal: string) => steps.push([pid, signal])
  const answer = nodeTerminal(processWith({ stdin, stderr, pid: 42, kill }), {})[ask]('Type "revoke": ')
  stdin.write('rev\u0003')
  expect(await answer).toBeUndefined()
  expect(steps).toEqual([true, false, [42, 'SIGINT']])
})

test('after Ctrl-D at a question, the next line begins in the first column', async () => {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()]
  const terminal = nodeTerminal(processWith({ stdin, stderr }), {})
  const answer = terminal.ask('Type "revoke": ')
  stdin.end()
  expect(await answer).toBeUndefined()
  terminal.error('nothing was revoked')
  expect(String(stderr.read())).toMatch(/\nheadroom: nothing was revoked\n$/)
})

test('after a resize the screen is cleared before it is redrawn', () => {
  let written = ''
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  const { screen } = terminalOn(stdout)
  screen?.draw('the former drawing')
  const stop = screen?.onResize(() => {
    written += '<redrawn>'
  })
  stdout.emit('resize')
  expect(written.endsWith('\u001b[2J\u001b[H<redrawn>')).toBe(true)
  stop?.()
  stdout.emit('resize')
  expect(written.match(/<redrawn>/g)).toHaveLength(1)
})

test('an error that quotes another program moves no cursor', () => {
  const stderr = new PassThrough()
  const terminal = nodeTerminal(processWith({ stderr }), {})
  terminal.error('no program is named \u001b[2Jx\u009b1A\nsecond line')
  expect(String(stderr.read())).toBe('headroom: no program is named  [2Jx 1A\nsecond line\n')
})

test('a question and an error wrap between words at the terminal’s width, and not in a file', async () => {
  const said = async (isTTY: boolean) => {
    const stderr = Object.assign(new PassThrough(), { isTTY, columns: 30 })
    const stdin = new PassThrough()
    const terminal = nodeTerminal(processWith({ stdin, stderr }), {})
    terminal.error('the access tokens that were issued go on working for 20 minutes')
    const answer = terminal.ask('This revokes every token of the key that was issued.\nType "revoke": ')
    stdin.write('no\n')
    expect(await answer).toBe('no')
    return stripVTControlCharacters(String(stderr.read()))
  }
  const lines = (await said(true)).split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30)
  expect(lines.slice(0, 3)).toEqual([
    'headroom: the access tokens',
    'that were issued go on working',
    'for 20 minutes',
  ])
  expect(lines).toContain('This revokes every token of')
  expect(await said(false)).toContain('the access tokens that were issued go on working for 20 minutes\n')
})

describe('a secret', () => {
  const CANARY = 'CANARY-secret'

  /** The answer to a question for a secret, and what was written. `typed` is all of stdin. */
  async function askedFor(typed: string, isTTY: boolean) {
    const stderr = Object.assign(new PassThrough(), { isTTY })
    const stdout = new PassThrough()
    const modes: boolean[] = []
    const stdin = Object.assign(new PassThrough(), {
      isTTY,
      setRawMode: (isRaw: boolean) => modes.push(isRaw),
    })
    const answer = nodeTerminal(processWith({ stdin, stdout, stderr }), {}).askSecret('Paste it: ')
    stdin.end(typed)
    return { answer: await answer, modes, said: `${stderr.read() ?? ''}${stdout.read() ?? ''}` }
  }

  test('that is typed is not shown', async () => {
    const { answer, modes, said } = await askedFor(`${CANARY}\n`, true)
    expect(answer).toBe(CANARY)
    expect(modes).toEqual([true, false])
    expect(said).toBe('Paste it: \n')
  })

  test('from a pipe is its first line, with or without an end, and nothing is asked', async () => {
    for (const typed of [CANARY, `${CANARY}\n`, `${CANARY}\r\nmore\n`])
      expect(await askedFor(typed, false)).toEqual({ answer: CANARY, modes: [], said: '' })
  })

  test('is missing if the input ends first', async () => {
    expect((await askedFor('', false)).answer).toBeUndefined()
    expect((await askedFor('', true)).answer).toBeUndefined()
  })
})
