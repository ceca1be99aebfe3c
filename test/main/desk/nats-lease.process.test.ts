import { randomBytes } from 'node:crypto'
import { Kvm, type KvOptions } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LEASE_ANSWER_MS, LEASE_TTL_MS } from '../../../app/desk/queue-ports.ts'
import type { Engine } from '../../../main/desk/engine.ts'
import { deskNames } from '../../../main/desk/envelope.ts'
import { natsEngines } from '../../../main/desk/nats-engine.ts'
import { nodeClock, nodeRandom } from '../../../main/ports/node-clock.ts'
import { DeskProxy } from '../../desk-server/desk-proxy.ts'
import { getNatsServer } from '../../desk-server/get-nats-server.ts'
import { startNatsCluster, startNatsServer } from '../../desk-server/nats-server.ts'
import { PATIENT } from '../../patient.ts'
import { SECRET } from './virtual-desk.ts'

const program = await getNatsServer((line) => console.error(line))
const name = `the lease on a real NATS server${program === undefined ? ' (not run: no nats-server)' : ''}`

const NAMES = deskNames(SECRET)
const engines = natsEngines({ clock: nodeClock, random: nodeRandom, randomBytes })
/** The server looks for expired values about once a second, and machines are busy. */
const LATE_MS = 2_000

async function opened(...servers: readonly string[]): Promise<Engine> {
  const outcome = await engines.open({ servers, names: NAMES })
  if (!outcome.ok) throw new Error(outcome.message)
  onTestFinished(() => outcome.engine.close())
  return outcome.engine
}

/** A foreign client, with the bucket of the lease. Creates the bucket if there are options for it. */
async function foreign(url: string, options?: Partial<KvOptions>) {
  const nats = await connect({ servers: url })
  onTestFinished(() => nats.close())
  const kvm = new Kvm(nats)
  return options === undefined ? kvm.open(NAMES.lease) : kvm.create(NAMES.lease, options)
}

describe.skipIf(program === undefined)(name, () => {
  const start = () => startNatsServer(program ?? '')

  it('belongs to one run at a time, which renews it', async () => {
    const { url } = await start()
    const [a, b] = [await opened(url), await opened(url)]
    const answers = await Promise.all([a, b].map(({ lease }) => lease.create()))
    expect(answers.toSorted()).toEqual(['held', 'taken'])
    const [holder, other] = answers[0] === 'held' ? [a, b] : [b, a]
    expect(await holder.lease.create()).toBe('held')
    expect(await holder.lease.renew()).toBe('held')
    expect(await other.lease.create()).toBe('taken')
    expect(await other.lease.renew()).toBe('taken')
  })

  it('is renewed by the run that wrote it last, even if that run did not get the answer', async () => {
    const server = await start()
    const way = await DeskProxy.start(server.port)
    onTestFinished(() => way.close())
    const [a, b] = [await opened(way.url), await opened(server.url)]
    expect(await a.lease.create()).toBe('held')
    // The answers to what is written are lost.
    way.spoil(({ bytes }) => (bytes.includes('"message"') ? 1 : 0))
    const askedMs = performance.now()
    expect(await a.lease.renew()).toBe('unknown')
    expect(performance.now() - askedMs).toBeGreaterThan(LEASE_ANSWER_MS - 50)
    expect(performance.now() - askedMs).toBeLessThan(LEASE_ANSWER_MS + LATE_MS)
    way.spoil(undefined)
    expect(await b.lease.create()).toBe('taken')
    expect(await a.lease.renew()).toBe('held')
  })

  it('is free at once where it was released, and only its holder can release it', async () => {
    const { url } = await start()
    const [a, b] = [await opened(url), await opened(url)]
    expect(await a.lease.create()).toBe('held')
    await b.lease.release()
    expect(await b.lease.create()).toBe('taken')
    await a.lease.release()
    expect(await b.lease.create()).toBe('held')
    expect(await a.lease.renew()).toBe('taken')
    expect(await b.lease.renew()).toBe('held')
  })

  it('expires six seconds after its last renewal, not earlier', async () => {
    const { url } = await start()
    const [a, b] = [await opened(url), await opened(url)]
    expect(await a.lease.create()).toBe('held')
    await expect.poll(() => performance.now(), { timeout: 5_000 }).toBeGreaterThan(performance.now() + 2_000)
    const renewedMs = performance.now()
    expect(await a.lease.renew()).toBe('held')
    await expect.poll(() => b.lease.create(), { timeout: LEASE_TTL_MS + LATE_MS, interval: 50 }).toBe('held')
    expect(performance.now() - renewedMs).toBeGreaterThan(LEASE_TTL_MS - 10)
    expect(await a.lease.renew()).toBe('taken')
  }, 20_000)

  it('is unknown without the server, and free on one that starts with an empty store', async () => {
    const server = await start()
    const [a, b] = [await opened(server.url), await opened(server.url)]
    expect(await a.lease.create()).toBe('held')
    await server.kill()
    expect(await a.lease.renew()).toBe('unknown')
    await expect.poll(() => b.state.reachable, PATIENT).toBe(false)
    expect(await b.lease.create()).toBe('unknown')
    await server.restart()
    await expect.poll(() => b.lease.create(), PATIENT).toBe('held')
    await expect.poll(() => a.state.reachable, PATIENT).toBe(true)
    // The empty store gave the same revision to another run.
    expect(await a.lease.renew()).toBe('taken')
  }, 20_000)

  it('is lost where another client deletes it, or overwrites it', async () => {
    const { url } = await start()
    const a = await opened(url)
    expect(await a.lease.create()).toBe('held')
    const bucket = await foreign(url)
    await bucket.delete('l')
    expect(await a.lease.renew()).toBe('taken')
    expect(await a.lease.create()).toBe('held')
    await bucket.put('l', 'another value')
    expect(await a.lease.renew()).toBe('taken')
    expect(await a.lease.create()).toBe('taken')
  })

  it('is not used in a bucket where it would last for another time', async () => {
    const { url } = await start()
    await foreign(url, {})
    expect(await (await opened(url)).lease.create()).toBe('unknown')
  })

  it('gets its copies in a cluster where its bucket was created with one', async () => {
    const cluster = await startNatsCluster(program ?? '')
    const [url = ''] = cluster.map((server) => server.url)
    // JetStream elects its leader for some seconds after the cluster has started.
    const options = { ttl: LEASE_TTL_MS, replicas: 1 }
    const create = () => foreign(url, options).catch(() => undefined)
    await expect.poll(create, { timeout: 30_000, interval: 200 }).toBeDefined()
    const bucket = await foreign(url)
    expect((await bucket.status()).replicas).toBe(1)
    const { lease } = await opened(url)
    await expect.poll(async () => (await bucket.status()).replicas, PATIENT).toBe(3)
    await expect.poll(() => lease.create(), PATIENT).toBe('held')
  }, 60_000)

  it('can be renewed again after the server in use of a cluster is killed', async () => {
    const cluster = await startNatsCluster(program ?? '')
    const urls = cluster.map(({ url }) => url)
    let a: Engine | undefined
    // JetStream elects its leader for some seconds after the cluster has started.
    await expect
      .poll(
        async () => {
          a ??= await opened(...urls).catch(() => undefined)
          return a?.lease.create()
        },
        { timeout: 30_000, interval: 200 },
      )
      .toBe('held')
    const used = cluster.find(({ url }) => url.endsWith(a?.state.server ?? ''))
    await used?.kill()
    await expect.poll(() => a?.lease.create(), { timeout: 20_000, interval: 100 }).toBe('held')
  }, 60_000)
})
