// One check, of the runner or of the Inspector.
export type Check = {
  name: string;
  run(): Promise<{ note?: string; problem: string | undefined }>;
};
