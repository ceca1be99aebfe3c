/**
 * A member of a desk in a separate process, for `desk-grants.ts`: `node desk-peer.ts URL SECRET`. Prints
 * `dispatching` once it dispatches. Also replies to bare requests on the subject `bare`.
 */
import { connect } from '@nats-io/transport-node'
import { BenchMember } from './desk-member.ts'

const [, , url = '', secret = ''] = process.argv
const nats = await connect({ servers: url })
nats.subscribe('bare', { callback: (_, message) => void message.respond(message.data) })
const member = await BenchMember.join({ url, secret, id: 'aa'.repeat(8) })
await member.isGranted()
process.stdout.write('dispatching\n')
