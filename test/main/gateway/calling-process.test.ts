import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  CallingProcesses,
  linuxProcesses,
  type ProcessTable,
  processOf,
} from '../../../main/gateway/calling-process.ts'
import { peerSocket } from '../../../main/gateway/peer-user.ts'

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
])('of a command line %j only the program and its script are told', async (commandLine, told) => {
  expect(await processOf(CALLER, tableOf(commandLine))).toBe(told)
})

test('where the system does not tell, there is no process', async () => {
  const table = tableOf(['bot'])
  expect(await processOf({ userId: 1000, inode: '0' }, table)).toBeUndefined()
  expect(await processOf({ userId: 1000, inode: '78' }, table)).toBeUndefined()
  const none = { ...table, ids: () => Promise.reject(new Error('no /proc')) }
  expect(await processOf(CALLER, none)).toBeUndefined()
})

test('a program is looked up once for each connection, and no more than twice a minute', async () => {
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

test.skipIf(process.platform !== 'linux')('a real connection is of this process', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  const [socket] = (await once(server, 'connection')) as [Socket]
  const peer = peerSocket(socket)
  const own = { ...linuxProcesses, ids: async () => [String(process.pid)] }
  expect(typeof peer === 'object' && (await processOf(peer, own))).toContain(`(${process.pid})`)
})
