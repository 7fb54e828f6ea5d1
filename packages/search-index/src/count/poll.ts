/** Called every few tens of microseconds; throws when no request waits for the count any more. */
export type Poll = () => void
