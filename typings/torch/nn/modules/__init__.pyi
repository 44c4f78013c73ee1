from torch.nn.modules import module as module
