// The log, as every room sees it. Fields first, then the message for people.

export type Log = {
  isLevelEnabled(level: 'debug'): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};
