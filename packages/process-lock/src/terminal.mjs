import { isatty } from 'node:tty'

/**
 * Whether a standard stream of this process was a terminal when it was started; read once, because a terminal that was closed is
 * none any more. Without one, as under nohup, the end of a terminal does not end the process.
 */
export const isOnTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))

/** Ignores SIGHUP where no standard stream is a terminal. Node has undone what nohup had set. */
export function surviveHangUp() {
  if (!isOnTerminal) process.on('SIGHUP', () => {})
}

/**
 * How a process without a terminal starts a program that does not survive SIGHUP by itself: outside its group, which gets the
 * signal. Ctrl-C reaches such a program no more either.
 */
export const childOptions = { detached: !isOnTerminal }
