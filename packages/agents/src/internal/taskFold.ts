/**
 * What is known of a task, put together of all that an agent says of it: whole tasks, changes of its status, and artifacts
 * that come in pieces.
 */
import {
  isSettled,
  isTerminal,
  lastMessage,
  MAX_PARTS,
  type Message,
  type Part,
  type Reply,
  type StreamEvent,
  type Task,
  textOf
} from "../A2aTask.ts"

/** As much as one answer that comes as a whole, in characters. */
export const MAX_SIZE = 16 * 1024 * 1024

interface Piece {
  parts: ReadonlyArray<Part>
  size: number
}

/** A task that is gone on with. */
export interface GivenTask {
  readonly taskId: string
  readonly contextId?: string
}

export class TaskFold {
  readonly #given: GivenTask | undefined
  #task: Task | undefined
  #answer: Message | undefined
  /** In the order in which they began. */
  readonly #artifacts = new Map<string, Piece>()
  /** Those that came in pieces: their texts are one text. */
  readonly #pieced = new Set<string>()
  #size = 0
  #parts = 0
  /** How much has been said so far. */
  events = 0

  constructor(given?: GivenTask) {
    this.#given = given
  }

  get taskId(): string | undefined {
    return this.#task?.id ?? this.#given?.taskId
  }

  get isSettled(): boolean {
    return this.#answer !== undefined || (this.#task !== undefined && isSettled(this.#task.state))
  }

  /** It is more than anybody wants to keep. */
  get isTooLarge(): boolean {
    return this.#size > MAX_SIZE || this.#parts > MAX_PARTS
  }

  /** Whether it is done and yet nothing came of it, as far as was said. */
  get isBare(): boolean {
    return this.#task?.state === "completed" && this.#artifacts.size === 0 && this.#task.message === undefined
  }

  /** What was answered; a task as it is now. */
  get reply(): Reply | undefined {
    if (this.#answer !== undefined) return { _tag: "Message", message: this.#answer }
    if (this.#task === undefined) return undefined
    const artifacts = [...this.#artifacts].map(([id, { parts }]) => ({
      id,
      parts: this.#pieced.has(id) ? joined(parts) : parts
    }))
    return { _tag: "Task", task: { ...this.#task, artifacts } }
  }

  /** Takes in what was said, in so many characters; says what of it is news to whoever waits. */
  take(event: StreamEvent, size: number): string | undefined {
    this.events++
    switch (event._tag) {
      case "Message":
        return this.#takeMessage(event.message)
      case "Task":
        return this.#takeTask(event.task, size)
      case "Status":
        return this.#takeStatus(event)
      default:
        return this.#takeArtifact(event, size)
    }
  }

  /** Beside a task it is something that the agent says, and no answer. */
  #takeMessage(message: Message): string {
    if (this.#task === undefined) {
      this.#answer = message
      this.#parts = message.parts.length
    } else this.#task = { ...this.#task, history: [message] }
    return textOf(message.parts)
  }

  /** A snapshot without artifacts doesn't take back those that came before it. */
  #takeTask(task: Task, size: number): string | undefined {
    if (this.#isForeign(task.id)) return undefined
    if (!this.#isOver || isTerminal(task.state)) this.#task = task
    for (const { id, parts } of task.artifacts) this.#put(id, { parts, size: size / task.artifacts.length })
    return textOf(task.message?.parts ?? [])
  }

  #takeStatus({ contextId, message, state, taskId }: Extract<StreamEvent, { _tag: "Status" }>): string | undefined {
    if (this.#isForeign(taskId) || (this.#isOver && !isTerminal(state))) return undefined
    const before = this.#known(taskId, contextId)
    // of all that was said only the last word counts, in the end
    const last = lastMessage(before)
    const { message: _, ...rest } = before
    this.#task = {
      ...rest,
      state,
      history: last === undefined ? [] : [last],
      ...(message === undefined ? {} : { message })
    }
    return textOf(message?.parts ?? [])
  }

  #takeArtifact(event: Extract<StreamEvent, { _tag: "Artifact" }>, size: number): string | undefined {
    const { artifact: { id, parts }, contextId, isAppended, taskId } = event
    if (this.#isForeign(taskId)) return undefined
    this.#task = this.#known(taskId, contextId)
    const before = isAppended ? this.#artifacts.get(id) : undefined
    if (before !== undefined) this.#pieced.add(id)
    this.#put(id, {
      parts: before === undefined ? parts : joined([...before.parts.slice(-1), ...parts], before.parts.slice(0, -1)),
      size: size + (before?.size ?? 0)
    })
    return textOf(parts)
  }

  #put(id: string, piece: Piece) {
    const before = this.#artifacts.get(id)
    this.#size += piece.size - (before?.size ?? 0)
    this.#parts += countOf(piece) - (before === undefined ? 0 : countOf(before))
    this.#artifacts.set(id, piece)
  }

  #known(id: string, contextId: string | undefined): Task {
    const context = contextId ?? this.#task?.contextId ?? this.#given?.contextId
    const task: Task = this.#task ?? { id, state: "submitted", artifacts: [], history: [] }
    return context === undefined ? task : { ...task, contextId: context }
  }

  /** What is over doesn't begin again: a late word about how it was, e.g. of a poll, is out of date. */
  get #isOver(): boolean {
    return this.#task !== undefined && isTerminal(this.#task.state)
  }

  /** Somebody else's task is none of ours; one that was gone on with may have led to another. */
  #isForeign(id: string): boolean {
    return this.#task !== undefined && this.#task.id !== id
  }
}

/** An artifact without parts takes room, too. */
const countOf = ({ parts }: Piece): number => Math.max(1, parts.length)

/** Pieces of text that follow each other are one text. */
const joined = (parts: ReadonlyArray<Part>, before: ReadonlyArray<Part> = []): ReadonlyArray<Part> => {
  const result = [...before]
  for (const part of parts) {
    const last = result.at(-1)
    if (part.kind === "text" && last?.kind === "text") {
      result[result.length - 1] = { kind: "text", text: last.text + part.text }
    } else result.push(part)
  }
  return result
}
