/** Called every few tens of microseconds; throws when nobody waits for the count any more. */
export type Poll = () => void
