import { createServer, type Socket } from 'node:net'
import { atEnd } from '../../../support/cleanup.ts'

export interface ReceivedMail {
  from: string
  to: string[]
  /** Header and body as sent. */
  content: string
}

export interface SmtpSink {
  url: string
  mails: ReceivedMail[]
  /** What the server does with the next messages. */
  behave(how: 'accept' | 'reject'): void
}

/** Starts a mail server on loopback that keeps what it gets. */
export async function startSmtpSink(): Promise<SmtpSink> {
  const mails: ReceivedMail[] = []
  let how: 'accept' | 'reject' = 'accept'
  const server = createServer((socket) => converse(socket, () => how, mails))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => void server.close())
  const { port } = server.address() as { port: number }
  return { url: `smtp://127.0.0.1:${port}`, mails, behave: (next) => (how = next) }
}

function converse(socket: Socket, how: () => 'accept' | 'reject', mails: ReceivedMail[]): void {
  let pending = ''
  let mail: ReceivedMail = { from: '', to: [], content: '' }
  let inData = false
  const say = (line: string) => void socket.write(`${line}\r\n`)
  const addressIn = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? ''
  say('220 sink.example')
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    pending += bytes.toString('utf8')
    while (true) {
      const end = pending.indexOf('\r\n')
      if (end < 0) return
      const line = pending.slice(0, end)
      pending = pending.slice(end + 2)
      if (inData) {
        if (line !== '.') {
          mail.content += `${line.replace(/^\./, '')}\n`
          continue
        }
        inData = false
        mails.push(mail)
        mail = { from: '', to: [], content: '' }
        say('250 taken')
        continue
      }
      const command = line.slice(0, 4).toUpperCase()
      if (command === 'EHLO' || command === 'HELO') say('250 sink.example')
      else if (command === 'MAIL') {
        mail.from = addressIn(line)
        say('250 ok')
      } else if (command === 'RCPT') {
        const address = addressIn(line)
        if (how() === 'reject') say(`550 <${address}> is no mailbox here`)
        else {
          mail.to.push(address)
          say('250 ok')
        }
      } else if (command === 'DATA') {
        inData = true
        say('354 go on')
      } else if (command === 'QUIT') {
        say('221 bye')
        socket.end()
      } else if (command === 'STAR') say('502 no TLS here')
      else say('250 ok')
    }
  })
}

/** The text of a mail, decoded. */
export function textOf({ content }: ReceivedMail): string {
  const body = content.slice(content.indexOf('\n\n'))
  return body.replace(/=\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The token of the link in a mail. */
export function tokenIn(mail: ReceivedMail): string {
  return /\/(?:privacy|link)#([\w-]{43})/.exec(textOf(mail))![1]!
}
