import type { Mutant } from './registry.ts'

const RECORD = 'app/desk/member-record.ts'
const RECORD_TEST = 'app/desk/member-record.test.ts'
const SESSION = 'main/desk/desk-session.ts'
const SESSION_TEST = 'main/desk/desk-session.test.ts'

/** Mutants of the desk: one key on several machines. */
export const DESK_MUTANTS: readonly Mutant[] = [
  {
    promise: 'M4',
    what: 'charge what was missed twice',
    file: RECORD,
    find: 'missed, { sinceMs',
    replace: '2 * missed, { sinceMs',
    test: RECORD_TEST,
  },
  {
    promise: 'M4',
    what: 'take totals without noticing what was missed',
    file: RECORD,
    find: 'if (missed <= 0) continue',
    replace: 'if (missed <= Number.POSITIVE_INFINITY) continue',
    test: RECORD_TEST,
  },
  {
    promise: 'M4',
    what: 'forget that a request was noticed',
    file: RECORD,
    find: 'this.#noticed.set(row, (this.#noticed.get(row) ?? 0) + 1)',
    replace: 'this.#noticed.set(row, this.#noticed.get(row) ?? 0)',
    test: RECORD_TEST,
  },
  {
    promise: 'M4',
    what: 'date totals to when they arrived',
    file: RECORD,
    find: 'this.#totalsAtMs = Math.min(nowMs, fromMs)',
    replace: 'this.#totalsAtMs = nowMs + 0 * fromMs',
    test: RECORD_TEST,
  },
  {
    promise: 'M4',
    what: 'count a request again that counted as lost',
    file: RECORD,
    find: 'for (const id of open) this.#found(id)',
    replace: 'for (const id of open) if (id < 0) this.#found(id)',
    test: RECORD_TEST,
  },
  {
    promise: 'M4',
    what: 'leave out what a member did before its first totals',
    file: RECORD,
    find: 'countedAge < Math.min(JUST_STARTED_MS,',
    replace: 'countedAge < Math.min(JUST_STARTED_MS - 1e9,',
    test: RECORD_TEST,
  },
  {
    promise: 'M4',
    what: 'show the total of a member’s last report',
    file: 'main/desk/other-member.ts',
    find: 'this.#record.counted ?? this.#report.counted',
    replace: 'this.#report.counted ?? this.#record.counted',
    test: SESSION_TEST,
  },
  {
    promise: 'M4',
    what: 'leave requests of the desk among others’ that are known late',
    file: 'app/quota/metered-ledger.ts',
    find: 'if (isLate && used && shown.requests >= 1)',
    replace: 'if (isLate && used && shown.requests < 0)',
    test: 'app/quota/metered-ledger.test.ts',
  },
  {
    promise: 'M4',
    what: 'judge a header at once',
    file: SESSION,
    find: 'return this.#members.isAnyPresent ? JUDGE_AFTER_MS : 0',
    replace: 'return this.#members.isAnyPresent ? 0 : 0 * JUDGE_AFTER_MS',
    test: SESSION_TEST,
  },
  {
    promise: 'M4',
    what: 'take requests sent after a header for included in it',
    file: 'app/quota/own-requests.ts',
    find: 'if (request.sentAtMs <= untilMs) request.unseen = false',
    replace: 'if (request.sentAtMs <= untilMs || untilMs > 0) request.unseen = false',
    test: SESSION_TEST,
  },
  {
    promise: 'M4',
    what: 'let every machine check every row',
    file: 'app/desk/row-headers.ts',
    find: 'if (from === self) return 0',
    replace: 'if (from === self || present.length > 0) return 0',
    test: SESSION_TEST,
  },
  {
    promise: 'M5',
    what: 'name the desk on the server',
    file: 'main/desk/envelope.ts',
    find: "bucket: name('bucket')",
    replace: "bucket: 'rotated'.concat(name('bucket'))",
    test: 'main/desk/nats-engine.process.test.ts',
  },
  {
    promise: 'M6',
    what: 'keep what others had under way after leaving',
    file: SESSION,
    find: 'for (const [, member] of this.#members.all()) member.forgotten()',
    replace: 'for (const [, member] of this.#members.all()) void member',
    test: SESSION_TEST,
  },
]
