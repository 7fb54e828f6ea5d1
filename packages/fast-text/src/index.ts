export { formatDay, formatTime } from './format-time.ts'
export { composeBytes, mostBytesPerCharacter, writeUtf8 } from './utf8.ts'
