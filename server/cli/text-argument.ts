// Reads standard input, and the TEXT argument, where `-` means standard input.
import * as v from 'valibot';
import * as fields from '../domain/fields.ts';
import { wrongUsage } from './exit-codes.ts';

export async function readText(text: string): Promise<string> {
  const given = text === '-' ? await lineOfInput() : text;
  if (given === '') throw wrongUsage('the text is empty; pass it as the last argument, or - to read standard input');
  const { success, issues } = v.safeParse(fields.longText, given);
  if (!success) throw wrongUsage(`the text ${issues[0].message}`);
  return given;
}

/** Standard input without its last line break, which an editor or `echo` adds. */
export async function lineOfInput(): Promise<string> {
  return (await standardInput()).replace(/\r?\n$/, '');
}

export async function standardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
