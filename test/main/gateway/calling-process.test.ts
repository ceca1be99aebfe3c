import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import {
  CallingProcesses,
  linuxProcesses,
  type ProcessTable,
  processOf,
} from '../../../main/gateway/calling-process.ts'
import { PeerSockets } from '../../../main/gateway/peer-user.ts'
import { listening, portOf, rawSocket } from '../loopback-server.ts'

const CALLER = { userId: 1000, inode: '77' }

const tableOf = (commandLine: readonly string[]): ProcessTable => ({
  ids: async () => ['11', '12', '13'],
  openFiles: async (id) => {
    if (id === '11') throw new Error('of another user')
    return id === '12' ? ['/dev/null', 'socket:[770]'] : ['pipe:[1]', 'socket:[77]']
  },
  commandLine: async () => commandLine,
})

test.each([
  [['/usr/bin/python3', '-u', '/home/me/scan.py', 'SIM1001'], 'python3 scan.py (13)'],
  [['curl', '-H', 'Authorization: Bearer abcdefgh', 'http://127.0.0.1:4791'], 'curl (13)'],
  [['bot', '--key=abcdefgh'], 'bot (13)'],
  [['bot\n\u001b[31m'], 'bot??[31m (13)'],
])('of a command line %j only the program and its script are shown', async (commandLine, told) => {
  expect(await processOf(CALLER, tableOf(commandLine))).toBe(told)
})

test('without system support there is no process', async () => {
  const table = tableOf(['bot'])
  expect(await processOf({ userId: 1000, inode: '0' }, table)).toBeUndefined()
  expect(await processOf({ userId: 1000, inode: '78' }, table)).toBeUndefined()
  const none = { ...table, ids: () => Promise.reject(new Error('no /proc')) }
  expect(await processOf(CALLER, none)).toBeUndefined()
})

test('looks a program up once per connection, and at most twice a minute', async () => {
  let nowMs = 0
  let changes = 0
  const asked: string[] = []
  const processes = new CallingProcesses(
    { monotonicMs: () => nowMs },
    () => {
      changes += 1
    },
    async ({ inode }) => {
      asked.push(inode)
      return `bot (${inode})`
    },
  )
  processes.called('program-1', { userId: 1000, inode: '1' })
  processes.called('program-1', { userId: 1000, inode: '1' })
  processes.called('program-1', { userId: 1000, inode: '2' })
  await Promise.resolve()
  expect(processes.of('program-1')).toBe('bot (1)')
  nowMs = 30_000
  processes.called('program-1', { userId: 1000, inode: '1' })
  processes.called('program-1', { userId: 1000, inode: '3' })
  await Promise.resolve()
  expect(asked).toEqual(['1', '3'])
  expect(processes.of('program-1')).toBe('bot (3)')
  expect(changes).toBe(2)
  processes.forget('program-1')
  expect(processes.of('program-1')).toBeUndefined()
})

test.each([
  ['a'.repeat(41), `${'a'.repeat(40)} (13)`],
  ['/opt/a b~/run', 'run (13)'],
])('a program named %j is shown as %j', async (command, told) => {
  expect(await processOf(CALLER, tableOf([command]))).toBe(told)
})

test.each(['js', 'mjs', 'cts', 'py', 'rb', 'pl', 'sh', 'R', 'jl', 'lua', 'php', 'jar', 'exe', 'dll'])(
  'shows a script that ends in .%s next to its program',
  async (end) => {
    expect(await processOf(CALLER, tableOf(['run', '-x', `/a/b.${end}`, 'c.py']))).toBe(`run b.${end} (13)`)
    expect(await processOf(CALLER, tableOf(['run', `b.${end}x`, 'c.py']))).toBe('run (13)')
    expect(await processOf(CALLER, tableOf(['run', `b${end}`]))).toBe('run (13)')
  },
)

test.each(['', '0', '07', '7a', ' 7'])('a socket with the number %j belongs to no process', async (inode) => {
  const every: ProcessTable = { ...tableOf(['bot']), openFiles: async () => [`socket:[${inode}]`] }
  expect(await processOf({ userId: 1000, inode }, every)).toBeUndefined()
})

test('checks the process of the previous connection first, then all', async () => {
  const looked: string[] = []
  const table: ProcessTable = {
    ...tableOf(['bot']),
    openFiles: async (id) => {
      looked.push(id)
      return id === '13' ? ['socket:[77]'] : []
    },
  }
  expect(await processOf(CALLER, table, 'bot (13)')).toBe('bot (13)')
  expect(looked).toEqual(['13'])
  looked.length = 0
  expect(await processOf(CALLER, table, 'bot (9)')).toBe('bot (13)')
  expect(looked).toEqual(['9', '11', '12', '13'])
  looked.length = 0
  expect(await processOf(CALLER, table, 'bot (13) again')).toBe('bot (13)')
  expect(looked).toEqual(['11', '12', '13'])
})

test('an ended process counts as none', async () => {
  const ended = { ...tableOf([]), commandLine: () => Promise.reject(new Error('ENOENT')) }
  expect(await processOf(CALLER, ended)).toBeUndefined()
})

test('a program keeps its process while another connection is looked up, and if none is found', async () => {
  let nowMs = 0
  let changes = 0
  const formers: (string | undefined)[] = []
  const found = ['bot (1)', 'bot (1)', undefined, 'bot (4)']
  const processes = new CallingProcesses(
    { monotonicMs: () => nowMs },
    () => {
      changes += 1
    },
    async (_, former) => {
      formers.push(former)
      return found.shift()
    },
  )
  for (const inode of ['1', '2', '3']) {
    processes.called('program-1', { userId: 1000, inode })
    await Promise.resolve()
    expect([processes.of('program-1'), changes]).toEqual(['bot (1)', 1])
    nowMs += 30_000
  }
  processes.called('program-1', { userId: 1000, inode: '4' })
  processes.forget('program-1')
  await Promise.resolve()
  expect([processes.of('program-1'), changes]).toEqual([undefined, 1])
  expect(formers).toEqual([undefined, 'bot (1)', 'bot (1)', 'bot (1)'])
})

test('looks a program up again half a minute after the last time, not earlier', () => {
  let nowMs = 100_000
  const asked: string[] = []
  const find = async ({ inode }: { readonly inode: string }) => void asked.push(inode)
  const processes = new CallingProcesses(
    { monotonicMs: () => nowMs },
    () => {},
    find as () => Promise<undefined>,
  )
  processes.called('program-1', { userId: 1000, inode: '1' })
  nowMs = 129_999
  processes.called('program-1', { userId: 1000, inode: '2' })
  nowMs = 130_000
  processes.called('program-1', { userId: 1000, inode: '3' })
  expect(asked).toEqual(['1', '3'])
})

test.skipIf(process.platform !== 'linux')(
  'the processes of Linux have numbers, this one among them',
  async () => {
    const ids = await linuxProcesses.ids()
    expect(ids).toContain(String(process.pid))
    expect(ids.filter((id) => !/^\d+$/.test(id))).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')('a real connection belongs to this process', async () => {
  const server = createServer()
  rawSocket(portOf(await listening(server)))
  const [socket] = (await once(server, 'connection')) as [Socket]
  const peer = await new PeerSockets().of(socket)
  const own = { ...linuxProcesses, ids: async () => [String(process.pid)] }
  expect(typeof peer === 'object' && (await processOf(peer, own))).toContain(`(${process.pid})`)
  const processes = new CallingProcesses({ monotonicMs: () => 0 }, () => {})
  if (typeof peer === 'object') processes.called('program-1', peer)
  await vi.waitFor(() => expect(processes.of('program-1')).toContain(`(${process.pid})`), { timeout: 20_000 })
})
