# Builds the program with Nix: `nix build`, `nix run . -- up`, `nix profile install .`
{
  description = "Countersign, an approval service between AI agents and the tools that they want to run";

  # The program needs Rust 1.94 or later.
  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEachSystem = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
      manifest = (nixpkgs.lib.importTOML ./Cargo.toml).workspace.package;
    in
    {
      packages = forEachSystem (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "countersign";
          version = manifest.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package=countersign-cli" ];
          buildFeatures = [ "oidc" ];
          # The tests need PostgreSQL, a browser and namespaces: tests/run has them.
          doCheck = false;
          # The sources in the store have no history, from which the build would read the commit.
          env.COUNTERSIGN_COMMIT = self.shortRev or "dirty";
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installShellCompletion --cmd countersign \
              --bash <($out/bin/countersign completions bash) \
              --fish <($out/bin/countersign completions fish) \
              --zsh <($out/bin/countersign completions zsh)
            install -D -m 0644 -t $out/share/doc/countersign LICENSE-APACHE LICENSE-MIT
          '';
          meta = {
            description = "An approval service between AI agents and the tools that they want to run";
            license = with nixpkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "countersign";
            platforms = systems;
          };
        };
      });
    };
}
