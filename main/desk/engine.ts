import type { LeaseStore } from '../../app/desk/queue-ports.ts'
import type { Membership } from './membership.ts'

/*
 * Port to the server through which the members of a desk exchange messages. `nats-engine.ts` implements it
 * with NATS. In tests, a virtual server implements it.
 */

/**
 * The names that one desk uses on a server. They are derived from the desk's secret and reveal nothing about
 * the secret or the key.
 */
export interface DeskNames {
  /** The first part of the subjects of all messages. */
  readonly prefix: string
  /** The first part of the subjects on which the server's own replies arrive. */
  readonly inbox: string
  /** The name of the bucket in the server's key-value store. */
  readonly bucket: string
  /** The name of the bucket of the lease, whose values expire. */
  readonly lease: string
}

/** `servers`: such as `nats://HOST:4222` and `tls://HOST:4222`, in the order in which they are tried. */
export interface EngineOptions extends Pick<Membership, 'servers' | 'tlsCa' | 'credentials'> {
  readonly names: DeskNames
}

/** Why no server can be used. The message is one line for a person, without secrets. */
export interface EngineRefusal {
  readonly code: RefusalCode
  readonly message: string
}

/** The message about a server that does not respond or was just lost. */
export const noResponseText = (server: string): string => `${server} doesn’t respond.`

export type RefusalCode =
  /** The server's address is malformed, or contains credentials. */
  | 'address'
  /** The server is outside this computer and offers no TLS. */
  | 'tls-needed'
  /** The CA file cannot be read. */
  | 'tls-ca'
  /** The server's certificate is not trusted, or was issued for another name. */
  | 'tls-untrusted'
  /** The server rejected the credentials, or the credentials cannot be read. */
  | 'credentials'
  /** The credentials do not permit the desk's subjects or its bucket. */
  | 'permissions'
  | 'no-jetstream'
  /** JetStream has no free space, or the majority of its servers is missing. */
  | 'no-storage'
  /** The server does not accept messages of 256 KiB. */
  | 'small-messages'
  | 'unreachable'

export interface EngineState {
  /** Host and port of the server in use, or of the one that was tried last. */
  readonly server: string
  readonly reachable: boolean
  /** When the server became unreachable, epoch ms. Absent while the server is reachable. */
  readonly sinceMs?: number
  /** Duration of the last ping in milliseconds. Absent before the first ping. */
  readonly roundTripMs?: number
  /** Why the last attempt failed. Absent while the server is reachable. */
  readonly refusal?: EngineRefusal
}

/**
 * A connection to a publish/subscribe server. Messages may be lost. While the server is unreachable, all
 * published messages are lost.
 *
 * The engine reconnects by itself until it is closed. It detects a dead connection within two seconds.
 */
export interface Engine {
  readonly state: EngineState
  publish(subject: string, bytes: Uint8Array): void
  /**
   * Calls `receive` with every message of the subject, except this engine's own messages. Returns a function
   * that unsubscribes.
   */
  subscribe(subject: string, receive: (bytes: Uint8Array) => void): () => void
  /**
   * Reads a small value from the server's store. A value outlives the connection that wrote it, but the
   * server may lose it at any time.
   */
  read(key: string): Promise<StoredValue>
  /** Writes a value. Resolves to whether the value was stored. */
  write(key: string, bytes: Uint8Array): Promise<boolean>
  /** The lease of the desk's dispatcher, with this engine as the holder. */
  readonly lease: LeaseStore
  /**
   * Calls `listener` after each change of `state`, except changes of the round trip. Returns a function that
   * removes the listener.
   */
  onChange(listener: () => void): () => void
  /** Connects now if the engine waits for its next attempt. */
  tryNow(): void
  /** Disconnects. First sends published messages that are still buffered, for at most half a second. */
  close(): Promise<void>
}

/** A value of the store. `known` is false if the store could not be read. */
export type StoredValue =
  | { readonly known: false }
  | { readonly known: true; readonly bytes: Uint8Array | undefined }

export type EngineOutcome =
  | { readonly ok: true; readonly engine: Engine }
  | ({ readonly ok: false } & EngineRefusal)

/** Creates engines. */
export interface Engines {
  /** For a stored desk: connects as soon as a server can be reached, and never gives up. */
  start(options: EngineOptions): Engine
  /** For a new membership: connects now and finds the store, or returns the reason within seconds. */
  open(options: EngineOptions): Promise<EngineOutcome>
}
