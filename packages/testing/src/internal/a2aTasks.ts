/** The tasks of a fake agent: each follows the reply that made it, one step further with every poll. */
import * as Data from "effect/Data"
import * as A2aReply from "../A2aReply.ts"
import type { TaskView } from "./a2aDialect.ts"

type TaskReply = Data.TaggedEnum.Value<A2aReply.Reply, "Task">

interface Task {
  readonly id: string
  readonly contextId: string
  reply: TaskReply
  pollsLeft: number
  isCanceled: boolean
}

/** A refusal, by the code that A2A gives it. */
export class Refused extends Data.TaggedError("Refused")<{ readonly code: number; readonly message: string }> {}

const FINAL: ReadonlySet<A2aReply.TaskState> = new Set(["completed", "canceled", "failed", "rejected"])

export class Tasks {
  readonly #tasks = new Map<string, Task>()
  #contexts = 0

  newContext(): string {
    return `context-${++this.#contexts}`
  }

  start(reply: TaskReply, contextId: string): TaskView {
    const id = `task-${this.#tasks.size + 1}`
    const task: Task = { id, contextId, reply, pollsLeft: reply.polls, isCanceled: false }
    this.#tasks.set(id, task)
    return view(task, "submitted")
  }

  /** What the next message to this task gets. */
  next(id: string): A2aReply.Reply | Refused {
    const task = this.#tasks.get(id)
    if (task === undefined) return notFound(id)
    return task.reply.next ?? new Refused({ code: -32004, message: `Task ${id} takes no more messages` })
  }

  /** The same task goes on after a message. */
  goOn(id: string, reply: TaskReply): TaskView | Refused {
    const task = this.#tasks.get(id)
    if (task === undefined) return notFound(id)
    task.reply = reply
    task.pollsLeft = reply.polls
    return view(task, "working")
  }

  poll(id: string): TaskView | Refused {
    const task = this.#tasks.get(id)
    if (task === undefined) return notFound(id)
    task.pollsLeft = Math.max(0, task.pollsLeft - 1)
    return view(task, "working")
  }

  /** How it is now, without a step. */
  look(id: string): TaskView | Refused {
    const task = this.#tasks.get(id)
    return task === undefined ? notFound(id) : view(task, "working")
  }

  /** Each step that is still to come, until there is none or it would go on for ever. */
  rest(id: string): ReadonlyArray<TaskView> | Refused {
    const task = this.#tasks.get(id)
    if (task === undefined) return notFound(id)
    const views: Array<TaskView> = []
    while (task.pollsLeft > 0 && Number.isFinite(task.pollsLeft)) {
      task.pollsLeft--
      views.push(view(task, "working"))
    }
    return views
  }

  cancel(id: string): TaskView | Refused {
    const task = this.#tasks.get(id)
    if (task === undefined) return notFound(id)
    if (FINAL.has(view(task, "working").state)) {
      return new Refused({ code: -32002, message: `Task ${id} can't be canceled any more` })
    }
    task.isCanceled = true
    return view(task, "working")
  }
}

const notFound = (id: string) => new Refused({ code: -32001, message: `Task not found: ${id}` })

const view = ({ contextId, id, isCanceled, pollsLeft, reply }: Task, meanwhile: A2aReply.TaskState): TaskView => {
  if (isCanceled) return { id, contextId, state: "canceled", message: undefined, artifacts: [] }
  if (pollsLeft > 0) return { id, contextId, state: meanwhile, message: undefined, artifacts: [] }
  return { id, contextId, state: reply.state, message: reply.message, artifacts: reply.artifacts }
}
