/*
 * Port to the server through which the members of a desk talk. `nats-engine.ts` implements it with NATS, and
 * tests with a virtual server.
 */

/** The names of one desk on a server. They are derived from its secret and mean nothing to others. */
export interface DeskNames {
  /** The first part of the subjects of all messages. */
  readonly prefix: string
  /** The first part of the subjects on which the server's own replies arrive. */
  readonly inbox: string
  /** The name of the bucket in the server's key-value store. */
  readonly bucket: string
}

export interface EngineOptions {
  /** Addresses such as `nats://HOST:4222` and `tls://HOST:4222`. The first is tried first. */
  readonly servers: readonly string[]
  /** The path of a PEM file with the certificates that the server's certificate is checked against. */
  readonly tlsCa?: string
  /** `user:password`, a token, an nkey seed, or the text of a `.creds` file. */
  readonly credentials?: string
  readonly names: DeskNames
}

/** Why no server can be used. The message is a line for a person, without secrets. */
export interface EngineRefusal {
  readonly code: RefusalCode
  readonly message: string
}

export type RefusalCode =
  /** An address that isn't one of a NATS server. */
  | 'address'
  /** The server is outside this computer and offers no TLS. */
  | 'tls-needed'
  /** The CA file cannot be read. */
  | 'tls-ca'
  /** The certificate of the server is not trusted, or has another name. */
  | 'tls-untrusted'
  /** The server rejected the credentials, or they cannot be read. */
  | 'credentials'
  /** The credentials do not permit the desk's subjects or its bucket. */
  | 'permissions'
  | 'no-jetstream'
  /** JetStream has no room, or no majority of its servers. */
  | 'no-storage'
  /** The server does not take messages of 256 KiB. */
  | 'small-messages'
  | 'unreachable'

export interface EngineState {
  /** Host and port of the server in use, or of the one that was tried last. */
  readonly server: string
  readonly reachable: boolean
  /** When the server could last not be reached any more, epoch ms. Absent while it is reachable. */
  readonly sinceMs?: number
  /** Duration of the last ping in milliseconds. Absent until the first. */
  readonly roundTripMs?: number
  /** Why the last attempt failed. Absent while the server is reachable. */
  readonly refusal?: EngineRefusal
}

/**
 * A publish/subscribe server. Messages may be lost, and those that are published while it is unreachable are.
 *
 * It reconnects by itself until it is closed. A dead connection is noticed within two seconds.
 */
export interface Engine {
  readonly state: EngineState
  publish(subject: string, bytes: Uint8Array): void
  /** `receive` gets every message of the subject, but none of this engine's own. Returns its end. */
  subscribe(subject: string, receive: (bytes: Uint8Array) => void): () => void
  /** A small value of the store, which outlives its writer. The store may lose it at any time. */
  read(key: string): Promise<StoredValue>
  /** Resolves with whether the value was stored. */
  write(key: string, bytes: Uint8Array): Promise<boolean>
  /** `listener` is called after each change of `state` but that of the round trip. Returns its end. */
  onChange(listener: () => void): () => void
  /** Sends what was published, for at most half a second, then disconnects. */
  close(): Promise<void>
}

/** `known` is false if the store could not be asked. */
export type StoredValue =
  | { readonly known: false }
  | { readonly known: true; readonly bytes: Uint8Array | undefined }

export type EngineOutcome =
  | { readonly ok: true; readonly engine: Engine }
  | ({ readonly ok: false } & EngineRefusal)

/** How engines are made. */
export interface Engines {
  /** For a stored desk: connects as soon as a server can be reached, and never gives up. */
  start(options: EngineOptions): Engine
  /** For a new membership: connects now and finds the store, or says within seconds why not. */
  open(options: EngineOptions): Promise<EngineOutcome>
}
